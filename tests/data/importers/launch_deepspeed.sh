ZERO=2
SEQ=`cat seq.txt`
cat <<EOT > ds_config.json
{ "train_batch_size": 64, "zero_optimization": { "stage": $ZERO } }
EOT
options=" \
  --num-layers 4 --hidden-size 256 --num-attention-heads 4 --seq-length 512 \
  --max-position-embeddings 512 --micro-batch-size 1 --global-batch-size 64 \
  --num-experts 8 --topk 1 --moe-expert-parallel-size 4 \
  --vocab-file gpt2-vocab.json --merge-file gpt2-merges.txt \
  --train-tokens 1000000000 --fp16 --checkpoint-activations \
  --deepspeed --deepspeed_config ds_config.json"
run="deepspeed --num_nodes 2 --num_gpus 4 pretrain_gpt.py ${options} &> log"
echo $run
eval $run
