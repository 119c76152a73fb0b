"""An imported fabric becomes what an instance owns."""

from __future__ import annotations

import json

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.errors import InputError
from planner.domain.instance import load_instance
from planner.importers.imported import Given
from planner.importers.kinds import import_file
from planner.importers.owned_instance import INSTANCE, switch_id


def test_nothing_is_added_unless_asked(data_folder) -> None:
    """The fabric alone stays the answer."""
    result = import_file("ibnetdiscover", data_folder / "ibnetdiscover.txt", Given())
    assert list(result.documents) == ["existing_fabric.json"]


def test_hosts_become_servers_and_models_switches(data_folder) -> None:
    """Hosts with the links of the server count; a model names its catalogue id."""
    given = Given({"server": "hgx-h100-8"})
    result = import_file("ibnetdiscover", data_folder / "ibnetdiscover.txt", given)
    owned = result.documents[INSTANCE]["owned"]
    assert owned["servers"] == [{"server": "hgx-h100-8", "count": 2}]
    assert owned["switches"] == [
        {"switch": "qm9700", "tier": "leaf", "count": 1},
        {"switch": "qm9700", "tier": "spine", "count": 1},
    ]
    assert any("no host has the 8 links" in warning for warning in result.warnings)


def test_a_scheduler_tree_needs_the_switch(data_folder) -> None:
    """A tree names no models: the key that gives them is asked for."""
    given = Given({"server": "hgx-h100-8"})
    result = import_file("slurm-topology", data_folder / "topology.conf", given)
    assert "switch" in {entry.key for entry in result.missing}
    given = Given({"server": "hgx-h100-8", "switch": "qm9700"})
    result = import_file("slurm-topology", data_folder / "topology.conf", given)
    assert result.missing == ()
    assert all(row["switch"] == "qm9700" for row in result.documents[INSTANCE]["owned"]["switches"])


def test_an_instance_and_its_files_are_read_back(data_folder, tmp_path) -> None:
    """The written instance loads with the fabric inside it."""
    job = {
        "name": "job", "site": {"racks": 4, "rack_kw": 40},
        "workloads": [{"name": "a", "network": "gpt2-xl", "sequence_length": 1024,
                       "global_batch": 64, "step_time_s": 1e3}],
    }  # fmt: skip
    (tmp_path / "job.json").write_text(json.dumps(job))
    given = Given({"server": "hgx-h100-8", "instance": str(tmp_path / "job.json")})
    result = import_file("ibnetdiscover", data_folder / "ibnetdiscover.txt", given)
    for name, document in result.documents.items():
        (tmp_path / name).write_text(json.dumps(document))
    instance, _ = load_instance(str(tmp_path / INSTANCE))
    assert instance.owned is not None
    assert instance.owned.existing is not None
    assert len(instance.owned.existing.switches) == 2
    (tmp_path / "existing_fabric.json").unlink()
    with pytest.raises(InputError, match="no file"):
        load_instance(str(tmp_path / INSTANCE))


@pytest.mark.parametrize(
    ("key", "value"), [("server", "hgx-h100-9"), ("nic", "cx9"), ("switch", "qm9701"),
                       ("instance", "nowhere.json")],
)  # fmt: skip
def test_unknown_ids_are_named(data_folder, key: str, value: str) -> None:
    """A wrong value ends in one line, not in a traceback."""
    given = Given({"server": "hgx-h100-8", key: value})
    with pytest.raises(InputError):
        import_file("ibnetdiscover", data_folder / "ibnetdiscover.txt", given)


@pytest.mark.parametrize(
    ("model", "part"), [("MQM9700", "qm9700"), ("MQM8700-HS2F", "qm8700"), ("", ""), ("X", "")]
)
def test_models_name_switches(model: str, part: str) -> None:
    """As vendors write them."""
    assert switch_id(model, load_catalog()) == part
