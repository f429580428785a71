import pytest
from takt_cli.files.graphs import GraphInfo
from takt_cli.running.work_scale import fit


def graph(total, group):
    return GraphInfo(graph="g", total_utilisation=total, groups={"/a:group()": group})


@pytest.mark.parametrize("cores", [1, 2, 3, 4])
def test_the_graph_loads_the_cores_to_85_percent(cores):
    scaling = fit(graph(1.11, 0.1), cores)
    assert scaling.load == pytest.approx(0.85)
    assert scaling.work_scale == pytest.approx(0.85 * cores / 1.11)
    assert not scaling.limited_by_group


def test_no_exclusive_group_is_loaded_above_three_quarters_of_a_core():
    scaling = fit(graph(1.0, 0.5), 4)
    assert scaling.limited_by_group
    assert scaling.group_utilisation == pytest.approx(0.75)
    assert scaling.load == pytest.approx(1.5 / 4)
    assert "75%" in scaling.describe()


def test_a_graph_without_work_stays_as_it_is():
    assert fit(graph(0, 0), 4).work_scale == 1.0


def test_the_busiest_group_and_the_total_are_read_from_the_graph():
    info = GraphInfo.read(
        {
            "graph": "g",
            "callbacks": [
                {"id": "/a:timer(1s)", "rate_hz": 10, "utilisation": 0.05, "group": "/a:group()"},
                {"id": "/b:sub(/a)", "rate_hz": 10, "utilisation": 0.9, "group": "/b:group()"}
                | {"reentrant": True},
            ],
            "groups": {"/a:group()": 0.05, "/b:group()": 0.9},
            "total_utilisation": 0.95,
            "chains": [{"name": "c", "path": ["/a:timer(1s)", "/b:sub(/a)"]}],
        }
    )
    assert info.total_utilisation == 0.95
    assert info.group_utilisation == 0.05  # a reentrant group limits nothing
    assert info.timers() == ["/a:timer(1s)"]
