#!/bin/bash
#SBATCH --nodes=4
#SBATCH --gpus-per-node=8
# A launch as a team would keep it: variables, defaults, branches, arrays.
source ./cluster_env.sh
GPUS_PER_NODE=8
NNODES=${SLURM_NNODES:-"4"}
MODEL_SIZE=${1:-small}
case $MODEL_SIZE in
    tiny|nano) LAYERS=2 ;;
    small) LAYERS=12; HEADS=8 ;;
    *) LAYERS=99 ;;
esac
if [ "$LAYERS" -gt 50 ]; then
    HIDDEN=8192
elif [[ $LAYERS == 12 ]] && [ -n "$HEADS" ]; then
    HIDDEN=$((HEADS * 64))    # 512
else
    HIDDEN=1
fi
MODEL_ARGS=(
    --num-layers $LAYERS
    --hidden-size ${HIDDEN}
    --num-attention-heads $HEADS
    --group-query-attention --num-query-groups 4
    --ffn-hidden-size 2048   # a comment inside
    --seq-length 1024 --max-position-embeddings 1024
    --swiglu --normalization RMSNorm --disable-bias-linear
    --position-embedding-type rope
    --untie-embeddings-and-output-weights
    --vocab-size 32000 --make-vocab-size-divisible-by 128
)
TRAIN=" \
    --micro-batch-size 2 \
    --global-batch-size 256 \
    --train-iters 1000 --bf16 \
    --use-distributed-optimizer --recompute-granularity selective"
PARALLEL=(--tensor-model-parallel-size 2 --pipeline-model-parallel-size=2)
PARALLEL+=(--num-layers-per-virtual-pipeline-stage 3 "--sequence-parallel")
for i in 1 2; do
    EXTRA="--log-interval $i"
done
while [[ $# -gt 0 ]]; do LAYERS=7; shift; done
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes $NNODES pretrain_gpt.py \
    ${MODEL_ARGS[@]} $TRAIN "${PARALLEL[@]}" $EXTRA --save $CHECKPOINTS
