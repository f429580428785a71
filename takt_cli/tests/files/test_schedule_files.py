import pytest
import yaml
from takt_cli.files.graphs import CallbackInfo, ChainInfo, GraphInfo
from takt_cli.files.schedule_files import fair_twin, on_cores, with_count, write_schedule
from takt_cli.verbs.experiment.binding import MODES, THREAD_NAMES, bind, binding_schedule
from takt_cli.verbs.experiment.executors import SHAPES, shape_graph, shape_schedule

IDS = {n: f"/c{n}:{'timer(100ms)' if n % 3 == 1 else f'sub(/t{n - 1})'}" for n in range(1, 13)}


@pytest.fixture
def graph():
    chains = tuple(
        ChainInfo(name=f"chain_{k}", path=tuple(IDS[3 * k + i] for i in (1, 2, 3)), priority=4 - k)
        for k in range(4)
    )
    callbacks = tuple(CallbackInfo(id=id_) for id_ in IDS.values())
    return GraphInfo(graph="g", callbacks=callbacks, chains=chains)


def test_fully_partitioned_gives_each_thread_three_callbacks_of_one_chain(graph):
    bound = bind(graph, "partitioned")
    assert list(bound) == THREAD_NAMES
    assert [len(ids) for ids in bound.values()] == [3, 3, 3, 3]
    assert bound["worker.0"] == [IDS[1], IDS[2], IDS[3]]


def test_semi_partitioned_pins_timers_only_and_global_nothing(graph):
    assert bind(graph, "global") == {}
    pinned = [id_ for ids in bind(graph, "semi-partitioned").values() for id_ in ids]
    assert sorted(pinned) == sorted(graph.timers())


@pytest.mark.parametrize("mode", MODES)
def test_priorities_are_those_of_the_chains_or_none(graph, mode):
    flat = binding_schedule(graph, mode, False, [0, 1])
    ranked = binding_schedule(graph, mode, True, [0, 1])
    assert flat["executors"]["main"]["order"] == "fifo"
    assert "chains" not in flat
    assert ranked["chains"]["chain_0"]["priority"] == 4
    worker = ranked["executors"]["main"]["threads"]["worker"]
    assert worker == {"count": 4, "cores": [0, 1], "spread": True}


def test_a_schedule_is_fitted_to_the_cores_there_are():
    threads = {"hot": {"policy": "fifo", "priority": 80, "cores": [0, 3]}, "rest": None}
    content = {"version": 1, "executors": {"main": {"threads": threads, "default": "rest"}}}
    fitted = on_cores(content, [2, 5])["executors"]["main"]["threads"]
    assert fitted["hot"]["cores"] == [2, 5]
    assert on_cores(content, [7])["executors"]["main"]["threads"]["hot"]["cores"] == [7]
    counted = with_count(content, 4)["executors"]["main"]["threads"]
    assert [entry["count"] for entry in counted.values()] == [4, 4]
    assert threads["hot"]["cores"] == [0, 3]


def test_each_executor_of_a_shape_is_a_thread_with_its_callbacks():
    made = shape_schedule(SHAPES[3], IDS)["executors"]["main"]
    assert made["order"] == "window"
    assert made["callbacks"][0]["match"] == [IDS[1], IDS[5], IDS[9]]
    assert len({rule["threads"] for rule in made["callbacks"]}) == 3


def test_callbacks_are_registered_in_the_order_of_the_shape(fakes, tmp_path):
    path = shape_graph(SHAPES[5], tmp_path / "g/x.yaml", 60_000_000, 2_000_000)
    graph = yaml.safe_load(path.read_text())
    numbers = [int(node["name"].removeprefix("callback_")) for node in graph["nodes"]]
    assert numbers == [1, 4, 7, 8, 5, 2, 9, 6, 3]
    assert graph["nodes"][0]["period"] == "60000000ns"
    assert graph["defaults"]["work"] == "2000000ns"


def test_a_schedule_that_is_changed_is_not_for_the_model_it_was_made_for():
    content = {"version": 1, "system": "../car.yaml", "executors": {"main": {"threads": {"t": {}}}}}
    for changed in (fair_twin(content), with_count(content, 2), on_cores(content, [0])):
        assert "system" not in changed
    assert content["system"] == "../car.yaml"


def test_the_fair_twin_keeps_threads_and_drops_what_the_kernel_was_told(tmp_path):
    content = {
        "version": 1,
        "executors": {
            "main": {
                "order": "priority",
                "threads": {
                    "hot": {"count": 2, "policy": "fifo", "priority": 80, "cores": [0]},
                    "rest": None,
                },
                "default": "rest",
                "process_threads": [{"match": "dds.*", "policy": "fifo", "priority": 90}],
            }
        },
    }
    twin = fair_twin(content)["executors"]["main"]
    assert twin["threads"] == {"hot": {"count": 2}, "rest": {}}
    assert "process_threads" not in twin
    assert content["executors"]["main"]["threads"]["hot"]["policy"] == "fifo"
    path = write_schedule(content, tmp_path / "s/x.yaml", "about this")
    assert path.read_text().startswith("# about this\n")
    assert yaml.safe_load(path.read_text()) == content
