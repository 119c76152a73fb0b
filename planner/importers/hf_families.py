"""What a model type of Hugging Face implies without writing it into its `config.json`.

Each entry states the conventions of the model class as the public documentation and modelling code
of `transformers` define them: gate, norm, positions, biases, tied tables, what a class leaves out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Convention = Mapping[str, Any]

_LLAMA: Convention = {"gated": True, "norm": "rmsnorm", "position_embedding": "rope"}
_GPT2: Convention = {
    "gated": False,
    "norm": "layernorm",
    "position_embedding": "learned",
    "attention_bias": True,
    "output_bias": True,
    "mlp_bias": True,
    "tie_word_embeddings": True,
}
_NEOX: Convention = {**_GPT2, "position_embedding": "rope", "tie_word_embeddings": False}
_GPTJ: Convention = {**_NEOX, "attention_bias": False, "output_bias": False}
_BERT: Convention = {**_GPT2, "family": "encoder", "causal": False}
_GEMMA: Convention = {**_LLAMA, "tie_word_embeddings": True}
_GEMMA3: Convention = {**_GEMMA, "qk_norm": True}
_QWEN2: Convention = {**_LLAMA, "attention_bias": True, "output_bias": False}
_QWEN3: Convention = {**_LLAMA, "qk_norm": True}
_DEEPSEEK: Convention = {**_LLAMA}
_BLOOM: Convention = {**_GPT2, "position_embedding": "alibi"}
_PHI: Convention = {**_NEOX}
_T5: Convention = {
    "gated": False,
    "norm": "rmsnorm",
    "position_embedding": "none",
    "tie_word_embeddings": True,
}
_STARCODER2: Convention = {**_GPT2, "position_embedding": "rope"}
_COHERE: Convention = {**_LLAMA, "tie_word_embeddings": True}
_GPT_OSS: Convention = {
    **_LLAMA,
    "attention_bias": True,
    "output_bias": True,
    "mlp_bias": True,
    "router_bias": True,
    "attention_sinks": True,
}
_FALCON: Convention = {
    "gated": False,
    "norm": "layernorm",
    "position_embedding": "rope",
    "tie_word_embeddings": True,
}
_OPT: Convention = {**_GPT2}
_MPT: Convention = {
    "gated": False,
    "norm": "rmsnorm",  # layer norm without bias: as many parameters as RMSNorm
    "position_embedding": "learned",
    "tie_word_embeddings": True,
}

CONVENTIONS: Mapping[str, Convention] = {
    **dict.fromkeys(
        ("llama", "mistral", "mixtral", "internlm", "internlm2", "internlm3", "baichuan", "yi",
         "phi3", "phi4_multimodal", "granite", "granitemoe", "exaone", "exaone4", "olmoe", "olmo",
         "minicpm", "deepseek", "ministral", "smollm3", "seed_oss", "helium", "arcee", "llama4",
         "llama4_text", "aquila", "orion", "xverse", "nemo", "mistral3", "aya", "hunyuan",
         "ernie4_5", "ernie4_5_moe", "mistral4", "apertus", "dots1", "glm4_moe", "glm4", "glm"),
        _LLAMA,
    ),
    **dict.fromkeys(("olmo2", "olmo3", "minimax", "minimax_m2"), _QWEN3),
    **dict.fromkeys(("qwen2", "qwen2_moe", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl",
                     "qwen2_5_vl_text", "qwen"), _QWEN2),
    **dict.fromkeys(("qwen3", "qwen3_moe", "qwen3_vl", "qwen3_vl_text", "qwen3_vl_moe",
                     "qwen3_vl_moe_text"), _QWEN3),
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "kimi_k2", "deepseek_v32"), _DEEPSEEK),
    **dict.fromkeys(("gemma", "gemma2"), _GEMMA),
    **dict.fromkeys(("gemma3", "gemma3_text"), _GEMMA3),
    **dict.fromkeys(("gpt2", "openai-gpt", "gpt_neo", "biogpt"), _GPT2),
    "gpt_bigcode": _GPT2,
    "opt": _OPT,
    "gpt_neox": _NEOX,
    **dict.fromkeys(("gptj", "codegen"), _GPTJ),
    **dict.fromkeys(("bert", "roberta", "xlm-roberta", "camembert", "electra", "megatron-bert",
                     "ernie"), _BERT),
    "distilbert": _BERT,
    "bloom": _BLOOM,
    **dict.fromkeys(("phi", "phi-msft"), _PHI),
    "phimoe": {**_LLAMA, "norm": "layernorm", "attention_bias": True, "output_bias": True},
    **dict.fromkeys(("t5", "mt5", "umt5", "longt5"), _T5),
    **dict.fromkeys(("bart", "mbart", "pegasus", "marian", "m2m_100", "blenderbot"), _GPT2),
    "starcoder2": _STARCODER2,
    **dict.fromkeys(("cohere", "cohere2"), _COHERE),
    "stablelm": {**_LLAMA, "norm": "layernorm"},
    "persimmon": {**_NEOX},
    "gpt_oss": _GPT_OSS,
    **dict.fromkeys(("falcon", "refinedweb", "refinedwebmodel"), _FALCON),
    "mpt": _MPT,
    "dbrx": _LLAMA,
    "chatglm": {**_LLAMA, "tie_word_embeddings": False},
    "nemotron": {**_FALCON, "tie_word_embeddings": False},
}  # fmt: skip
"""By `model_type`."""

CLASS_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "llama": {
        "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
        "num_attention_heads": 32, "vocab_size": 32000,
    },
    "mistral": {
        "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
    },
    "gemma": {"head_dim": 256},
    "gemma2": {"head_dim": 256, "layer_pattern": 2},
    "gemma3_text": {
        "vocab_size": 262208, "hidden_size": 2304, "intermediate_size": 9216,
        "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4,
        "head_dim": 256,
    },
    "falcon": {"multi_query": True},
    "gpt_bigcode": {"multi_query": True},
}  # fmt: skip
"""Sizes that a class assumes where its file is silent: inside composite models they often are."""

BUILT_DIFFERENTLY: Mapping[str, str] = {
    **dict.fromkeys(("mamba", "mamba2", "falcon_mamba", "rwkv", "rwkv6", "xlstm"),
                    "is a recurrent (state-space) model without attention"),
    **dict.fromkeys(("jamba", "zamba", "zamba2", "nemotron_h", "bamba", "falcon_h1", "lfm2",
                     "granitemoehybrid", "recurrent_gemma", "qwen3_next", "minimax_text_01",
                     "kimi_linear", "plamo2"),
                    "mixes attention with recurrent or linear-attention layers"),
    **dict.fromkeys(("clip", "siglip", "vit", "vit_mae", "swin", "convnext", "resnet", "beit",
                     "dinov2", "deit", "detr", "segformer", "vit_msn", "yolos"),
                    "is a vision model, not a language model"),
    **dict.fromkeys(("whisper", "wav2vec2", "hubert", "seamless_m4t", "speecht5", "wavlm"),
                    "is a speech model, not a language model"),
    **dict.fromkeys(("deberta", "deberta-v2", "albert", "reformer", "longformer", "xlnet",
                     "transfo-xl", "big_bird", "funnel", "perceiver"),
                    "has an attention or a sharing of layers of its own"),
}  # fmt: skip
"""Types that a `Network` cannot describe, each with the reason."""

RECURRENT_KEYS = (
    "hybrid_override_pattern", "ssm_state_size", "state_size", "mamba_d_state", "mamba_num_heads",
    "mamba_d_conv", "ssm_cfg", "linear_num_value_heads", "attn_layer_period", "lru_width",
    "time_mix_extra_dim", "full_attn_idxs", "layers_block_type",
)  # fmt: skip
"""Keys that only networks with recurrent or linear-attention layers have."""
