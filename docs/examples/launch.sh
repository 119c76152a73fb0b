#!/bin/bash
# What runs today: Llama 3 8B on four servers of eight H100, Megatron-LM.
torchrun --nnodes 4 --nproc-per-node 8 pretrain_gpt.py \
  --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 \
  --group-query-attention --num-query-groups 8 --kv-channels 128 \
  --seq-length 8192 --max-position-embeddings 8192 --vocab-size 128256 \
  --untie-embeddings-and-output-weights --swiglu --normalization RMSNorm \
  --position-embedding-type rope --disable-bias-linear \
  --tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 --sequence-parallel \
  --use-distributed-optimizer --micro-batch-size 1 --global-batch-size 128 \
  --train-iters 50000 --bf16
