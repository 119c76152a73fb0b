"""The section `services` of an instance: what it refuses, and in which words."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from planner.domain.instance import Instance

WORKLOAD = {
    "name": "job", "network": "llama3-8b", "sequence_length": 8192, "global_batch": 64,
    "step_time_s": 60,
}  # fmt: skip
STORAGE = {"switch": "qm9700", "link_gbps": 400, "links_per_server": 1}
SITE = {"racks": 8, "rack_kw": 44}


def instance(**changes: Any) -> Instance:
    """Return an instance with a storage network in two racks."""
    fields = {
        "name": "one", "workloads": [WORKLOAD], "site": SITE,
        "services": {"racks": 2, "storage_network": STORAGE},
    }  # fmt: skip
    return Instance.model_validate({**fields, **changes})


def test_networks_are_named_in_a_fixed_order() -> None:
    """Storage comes first; what is not asked for is not there."""
    both = {"racks": 1, "in_band_network": STORAGE, "storage_network": STORAGE}
    assert list(instance(services=both).services.networks) == ["storage_network", "in_band_network"]
    assert list(instance().services.networks) == ["storage_network"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"services": {"racks": 2}}, "name nothing to count"),
        ({"services": {"racks": 8, "storage_network": STORAGE}}, "leave none for servers"),
        (
            {"services": {"racks": 2, "fabric_manager": {"appliance": "ufm-appliance-3"}}},
            "reserved_slots",
        ),
        ({"pools": 2}, "services are of one new pool; leave out pools above 1"),
        ({"growth": {}}, "leave out growth"),
        ({"cloud": {}}, "leave out cloud"),
        ({"owned": {"parts": {"qm9700": 1}}}, "leave out owned"),
        ({"services": {"racks": 0, "storage_network": STORAGE}}, "greater than or equal to 1"),
    ],
)
def test_what_does_not_go_together_is_refused(changes: dict[str, Any], words: str) -> None:
    """Each refusal says what to change."""
    with pytest.raises(ValidationError, match=words):
        instance(**changes)
