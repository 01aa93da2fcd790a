"""The benchmark of the package: what it tells and keeps, of numbers that were not measured."""

import datetime
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def overhead():
    spec = importlib.util.spec_from_file_location("overhead", ROOT / "python" / "benchmarks" / "overhead.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_run_is_kept_where_the_other_benchmarks_keep_theirs(overhead):
    folder = overhead.folder_of(datetime.date(2026, 11, 18), "Intel(R) Xeon(R) CPU @ 2.20GHz", 4)
    # As crates/hedgerow-experiments/src/machine.rs has it.
    assert folder == ROOT / "bench" / "runs" / "2026-11-18-intel-r-xeon-r-cpu-2-20ghz-4-cores"
    assert overhead.folder_of(datetime.date(2026, 1, 2), "AMD EPYC", 1).name == "2026-01-02-amd-epyc-1-core"
    assert "\n- processor: AMD EPYC\n- cores: 2\n" in "\n" + overhead.setup("AMD EPYC", 2)


def test_the_table_takes_the_fit_that_was_disturbed_least_and_the_median_of_predictions(overhead):
    fit = overhead.Measured("fit", [12.0, 10.2], [10.0, 10.0])
    whole = overhead.Measured("read fit and save", [13.0, 11.0], [10.0, 12.0])
    predict = overhead.Measured("predict 10000 rows", [0.2, 0.3, 0.9], [0.2, 0.2, 0.2])
    table, is_met = overhead.table(fit, whole, predict)
    lines = table.splitlines()
    # 10.2 / 10; 11 / 10, the best of each side; 0.3 / 0.2.
    assert lines[2] == "| fit, within one call | 10.2000 | 10.0000 | 1.020 | 1.05 | met |"
    assert lines[3] == "| read, fit and save, against the command | 11.0000 | 10.0000 | 1.100 | 1.05 | MISSED |"
    assert lines[4] == "| predict 10000 rows | 0.3000 | 0.2000 | 1.500 | 1.1 | MISSED |"
    assert not is_met
    raw = overhead.raw([fit, predict], 2).splitlines()
    assert raw[:2] == ["part,side,threads,repeat,seconds", "fit,python,2,0,12.000000"]
    assert len(raw) == 1 + 4 + 6 and raw[-1] == "predict 10000 rows,rust,2,2,0.200000"
