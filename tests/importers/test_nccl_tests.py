"""Logs of nccl-tests in the layouts that people hold, and logs that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.domain.errors import InputError
from planner.importers import nccl_tests
from planner.importers.device_names import board_of
from planner.importers.nccl_lines import library_version, parse_row
from planner.importers.nccl_table import COLUMNS, Facts, table_rows
from planner.importers.nccl_tests import read_nccl_log

NEW = "size count type redop root time algbw busbw #wrong time algbw busbw #wrong"
OLD = "size count type redop time algbw busbw error time algbw busbw error"


def ranks(count: int, hosts: int, name: str = "NVIDIA H100 80GB HBM3") -> str:
    """Return a rank list spread over hosts."""
    each = count // hosts
    lines = [
        f"#  Rank {r:2} Group  0 Pid {100 + r} on   host{r // each} device {r % each:2} "
        f"[0x{r % each:02x}] {name}"
        for r in range(count)
    ]
    return "# Using devices\n" + "\n".join(lines) + "\n#\n"


def rows(
    n: int, *, factor: float, head: str = "float sum -1", tail: str = "0", twice: bool = True
) -> list[str]:
    """Return five rows from 16 MiB on whose busbw is `factor` times algbw."""
    lines = []
    for power in range(24, 29):
        size = 2**power
        time = 30.0 + size / 2e5 * n / 8
        algbw = size / time / 1e3
        figures = f"{time:.1f} {algbw:.2f} {algbw * factor:.2f} {tail}"
        lines.append(f"  {size} {size // 4} {head} {figures}" + (f" {figures}" if twice else ""))
    return lines


def written(folder: Path, text: str, name: str = "run.txt") -> Path:
    """Return a file with a log."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def single(path: Path, **hints: object) -> nccl_tests.NcclRun:
    """Return the only run of a log."""
    (run,) = read_nccl_log(path, **hints)
    return run


def test_current_layout_is_read_with_its_rank_list(tmp_path):
    """Ranks, hosts, GPUs, version and exact bandwidths come from one log."""
    text = (
        "NCCL version 2.27.3+cuda12.9\n"
        + ranks(16, 2)
        + f"#   {NEW}\n#   (B) (elements) (us)\n"
        + "\n".join(rows(16, factor=1.875))
        + "\n# Out of bounds values : 0 OK\n# Avg bus bandwidth : 1\n"
    )
    run = single(written(tmp_path, text))
    assert (run.collective, run.ranks, run.hosts, run.gpus_per_host) == ("all_reduce", 16, 2, 8)
    assert run.device_names == ("NVIDIA H100 80GB HBM3",)
    assert run.nccl_version == "2.27.3"
    assert len(run.rows) == 5
    last = run.rows[-1]
    assert last.algbw_gbytes_per_s == pytest.approx(last.size_bytes / last.time_us * 1e-3)
    assert last.busbw_gbytes_per_s == pytest.approx(last.algbw_gbytes_per_s * 1.875, rel=1e-3)
    assert run.notes == ()


@pytest.mark.parametrize(
    "prefix", ["[1,0]<stdout>:", "    ", "node01: ", "#", "2024-05-01T10:00:00Z  ", "0: "]
)
def test_launcher_prefixes_are_passed_over(tmp_path, prefix):
    """mpirun, kubectl, srun and comment signs in front of rows change nothing."""
    lines = [f"# {NEW}", *rows(8, factor=1.75)]
    run = single(written(tmp_path, "\n".join(prefix + line for line in lines)))
    assert (run.collective, run.ranks, run.hosts, len(run.rows)) == ("all_reduce", 8, None, 5)
    assert "the bandwidths speak of 8 ranks" in run.notes[0]


def test_old_layout_without_root_and_with_debug_lines(tmp_path):
    """The layout of 2019 and NCCL INFO lines between header and rows."""
    text = f"# {OLD}\nhost:1:1 [0] NCCL INFO Launch mode Parallel 123 456 float\n" + "\n".join(
        rows(8, factor=1.75, head="float sum", tail="N/A")
    )
    run = single(written(tmp_path, text))
    assert (run.ranks, len(run.rows)) == (8, 5)


def test_bare_rows_without_header_or_in_place_columns(tmp_path):
    """Rows cut out of a log, out of place only."""
    run = single(written(tmp_path, "\n".join(rows(8, factor=1.75, twice=False))))
    assert (run.collective, run.ranks, len(run.rows)) == ("all_reduce", 8, 5)


def test_rank_marks_inside_rows_are_passed_over(tmp_path):
    """MPICH's [0] in front of every printf."""
    text = "\n".join(row.replace(" -1 ", " -1[0] ") for row in rows(24, factor=2 * 23 / 24))
    assert single(written(tmp_path, f"[0] {text}")).ranks == 24


def test_milliseconds_of_the_oldest_layout_become_microseconds(tmp_path):
    """The printed bandwidth tells the unit of time."""
    lines = ["# bytes N type op time algbw busbw res time algbw busbw res"]
    for power in range(20, 26):
        size, ms = 2**power, 2**power / 5e6
        lines.append(f"{size} {size // 4} float sum {ms:.3f} 5.00 5.00 N/A {ms:.3f} 5.00 5.00 N/A")
    run = single(written(tmp_path, ranks(2, 1) + "\n".join(lines)))
    assert run.rows[-1].time_us == pytest.approx(2**25 / 5e3, rel=1e-3)
    assert "milliseconds" in run.notes[0]


@pytest.mark.parametrize(
    ("name", "head", "factor", "collective"),
    [
        ("all_gather_perf.log", "float none -1", 7 / 8, "all_gather"),
        ("alltoall-8.log", "float none -1", 7 / 8, "all_to_all"),
        ("a.log", "float sum -1", 7 / 8, "reduce_scatter"),
        ("broadcast.log", "float none 0", 1.0, "broadcast"),
        ("reduce.log", "float sum 0", 1.0, "reduce"),
    ],
)
def test_collective_is_told_by_rows_or_file_name(tmp_path, name, head, factor, collective):
    """Where the log itself is silent, its name and its columns speak."""
    text = ranks(8, 1) + "\n".join(rows(8, factor=factor, head=head))
    assert single(written(tmp_path, text, name)).collective == collective


def test_collective_named_in_the_log_wins(tmp_path):
    """'Collective test starting' counts before the file's name."""
    text = "# Collective test starting: alltoall_perf\n" + "\n".join(
        rows(8, factor=7 / 8, head="float none -1")
    )
    assert single(written(tmp_path, text, "all_gather.log")).collective == "all_to_all"


def test_several_tables_are_several_runs(tmp_path):
    """Two tests after each other in one file stay apart."""
    text = (
        "# Collective test starting: all_reduce_perf\n"
        + ranks(8, 1)
        + f"# {NEW}\n"
        + "\n".join(rows(8, factor=1.75))
        + "\n# Collective test starting: all_gather_perf\n"
        + f"# {NEW}\n"
        + "\n".join(rows(8, factor=7 / 8, head="float none -1"))
    )
    first, second = read_nccl_log(written(tmp_path, text))
    assert (first.collective, second.collective) == ("all_reduce", "all_gather")
    assert first.ranks == second.ranks == 8


def test_slow_out_of_place_runs_take_the_in_place_time(tmp_path):
    """A first row that took thrice as long is noted and replaced."""
    lines = rows(8, factor=1.75)
    fields = lines[0].split()
    fields[5] = str(float(fields[5]) * 3)
    run = single(written(tmp_path, "\n".join([" ".join(fields), *lines[1:]])))
    assert run.rows[0].time_us == pytest.approx(float(fields[9]))
    assert any("in-place times taken" in note for note in run.notes)


def test_cut_rank_list_yields_to_the_bandwidths(tmp_path):
    """A list that ends early, or begins late, does not set the number of ranks."""
    text = "#  Rank 71 Group 0 Pid 1 on n1 device 3 [0x01] NVIDIA GB200\n" + "\n".join(
        rows(8, factor=2 * 63 / 64)
    )
    run = single(written(tmp_path, text))
    assert (run.ranks, run.hosts) == (64, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no row of nccl-tests"),
        ("hello\nworld 1 2 3\n", "no row of nccl-tests"),
        ("size(B) count(elems) type time:avg(us)\n 8 2 fp32 63.5 0.0 0.0\n", "nccom-test"),
        ("1048576 262144 float none -1 XXXX XXX.XX XXX.XX N/A\n", "carry no figures"),
        (ranks(1, 1) + "536870912 134217728 float sum -1 1305.6 411.21 0.00 0\n", "only one rank"),
        (
            "\n".join(rows(8, factor=1.0)[:1]).replace("16777216", "99999999999999"),
            "none that links",
        ),
        ("\n".join(rows(8, factor=0.875, head="float none -1")), "does not say which collective"),
    ],
)
def test_useless_logs_get_one_plain_sentence(tmp_path, text, message):
    """Each refusal names the file and says what is wrong, without a traceback."""
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=message) as caught:
        read_nccl_log(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_ranks_on_one_gpu_are_refused(tmp_path):
    """Two ranks that share a device measure nothing."""
    text = (
        "# Rank 0 Group 0 Pid 1 on a device 0 [0x01] H100\n"
        "# Rank 1 Group 0 Pid 2 on a device 0 [0x01] H100\n" + "\n".join(rows(2, factor=1.0))
    )
    with pytest.raises(InputError, match="ranks 0 and 1 share device 0"):
        read_nccl_log(written(tmp_path, text))


def test_local_copies_are_refused(tmp_path):
    """In-place runs that take no time show a rank sending to itself."""
    lines = []
    for power in range(20, 26):
        size = 2**power
        time = size / 3e5
        gb = size / time / 1e3
        lines.append(
            f"{size} {size // 2} bfloat16 sum -1 {time:.2f} {gb:.2f} {gb:.2f} 0 "
            f"{time / 100:.4f} {gb * 100:.1f} {gb * 100:.1f} N/A"
        )
    with pytest.raises(InputError, match="copied to themselves"):
        read_nccl_log(written(tmp_path, "\n".join(lines)))


def test_unreadable_paths_are_named(tmp_path):
    """Missing files, folders and oversized files are refused before they are read."""
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(InputError, match="log:"):
            read_nccl_log(path)


def test_oversized_logs_are_refused(tmp_path, monkeypatch):
    """The size cap holds for bytes and for rows."""
    path = written(tmp_path, "\n".join(rows(8, factor=1.75)))
    monkeypatch.setattr(nccl_tests, "MAX_ROWS", 3)
    with pytest.raises(InputError, match="more than 3 rows"):
        read_nccl_log(path)
    monkeypatch.setattr(nccl_tests, "MAX_BYTES", 10)
    with pytest.raises(InputError, match="at most 0 MiB"):
        read_nccl_log(path)


@given(st.text(max_size=400))
def test_any_line_is_a_row_or_not(line):
    """No line makes the parser fail."""
    row = parse_row(line)
    assert row is None or (row.size_bytes >= 0 and len(row.values) >= 3)


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("NCCL version 2.19.4+cuda12.2", "2.19.4"),
        ("# NCCL Tests compiled with NCCL 2.4", "2.4"),
        ("# nccl-headers=23007 nccl-library=23007", "2.30.7"),
        ("nccl-library=2708", "2.7.8"),
        ("nothing", None),
    ],
)
def test_versions_are_read_in_every_form(line, version):
    """NCCL states its version in words or as a number."""
    assert library_version(line) == version


def test_rows_become_a_table_with_the_boards_facts(tmp_path):
    """The GPU's name brings how its GPUs are joined; the user adds the network."""
    text = ranks(16, 2) + "\n".join(rows(16, factor=1.875))
    run = single(written(tmp_path, text))
    table = table_rows(run, Facts(network="infiniband", nics_per_node=8, nic_gbps=400.0))
    assert len(table) == 5
    assert set(table[0]) == set(COLUMNS)
    assert (table[0]["gpu"], table[0]["scale_up"]) == ("h100-sxm", "nvswitch")
    assert (table[0]["nodes"], table[0]["gpus_per_node"], table[0]["gpus"]) == ("2", "8", "16")
    assert (table[0]["network"], table[0]["nic_gbps"]) == ("infiniband", "400")


def test_missing_facts_are_named_all_at_once(tmp_path):
    """What neither the log nor the options tell is asked for in one go."""
    run = single(written(tmp_path, "\n".join(rows(16, factor=1.875))))
    with pytest.raises(InputError) as caught:
        table_rows(run, Facts(nodes=2))
    for option in ("--gpu", "--scale-up", "--network", "--nics-per-node", "--nic-gbps"):
        assert option in str(caught.value)


def test_mixed_devices_have_no_usual_board():
    """Two kinds of GPU in one log leave the board to the user."""
    assert board_of(("NVIDIA H100 PCIe", "NVIDIA A100-PCIE-40GB")) is None
    assert board_of(("NVIDIA H100 PCIe",)).scale_up == "pcie_p2p"
    assert board_of(("some future GPU",)) is None
