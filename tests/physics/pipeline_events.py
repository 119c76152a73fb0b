"""A pipeline over sites, event by event: stages work in order, lines carry one message at a time."""

from __future__ import annotations


def order(stage: int, stages: int, batches: int, schedule: str) -> list[tuple[str, int]]:
    """Return a stage's passes in order: ("F" or "B", micro-batch)."""
    if schedule == "gpipe":
        return [("F", i) for i in range(batches)] + [("B", i) for i in range(batches)]
    ahead = min(stages - stage - 1, batches)
    work = [("F", i) for i in range(ahead)]
    for i in range(batches - ahead):
        work += [("F", ahead + i), ("B", i)]
    return work + [("B", i) for i in range(batches - ahead, batches)]


def finished_s(
    stages: int,
    batches: int,
    forward_s: float,
    backward_s: float,
    lines: dict[int, tuple[float, float]],
    schedule: str = "1f1b",
) -> float:
    """Return when the last pass ends.

    `lines` by the stage before them: seconds that one message keeps the line, and its latency.
    """
    queues = [order(s, stages, batches, schedule) for s in range(stages)]
    free = [0.0] * stages
    ended: dict[tuple[str, int, int], float] = {}
    busy: dict[tuple[str, int], float] = {}

    def arrived(kind: str, stage: int, batch: int) -> float | None:
        """Return when a pass's input is there; None while it is not yet known."""
        source = stage - 1 if kind == "F" else stage + 1
        if not 0 <= source < stages:
            return 0.0
        return ended.get((kind, source, batch))

    def sent(kind: str, stage: int, at: float) -> float:
        """Return when a message that leaves a stage at a time is at the next."""
        boundary = stage if kind == "F" else stage - 1
        if boundary not in lines:
            return at
        keeps, latency = lines[boundary]
        begins = max(at, busy.get((kind, boundary), 0.0))
        busy[kind, boundary] = begins + keeps
        return begins + keeps + latency

    while any(queues):
        for stage, queue in enumerate(queues):
            while queue:
                kind, batch = queue[0]
                ready = arrived(kind, stage, batch)
                if kind == "B" and stage == stages - 1:
                    ready = 0.0
                if ready is None:
                    break
                queue.pop(0)
                end = max(free[stage], ready) + (forward_s if kind == "F" else backward_s)
                free[stage] = end
                ended[kind, stage, batch] = sent(kind, stage, end)
    return max(free)
