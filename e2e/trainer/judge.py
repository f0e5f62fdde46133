"""The judge of Kubeflow's SDK: trains by it on the cluster of a kubeconfig and says what holds.

judge.py KUBECONFIG             on nodes that only pretend: jobs are followed until they run
judge.py KUBECONFIG torch       on nodes that run pods, with the image torch: jobs are followed to their end
"""

import os
import sys
import time
import traceback

real = sys.argv[2:] == ["torch"]
os.environ["KUBECONFIG"] = sys.argv[1]

from kubeflow.trainer import CustomTrainer, TrainerClient  # noqa: E402
from kubeflow.trainer.options import Labels, Name  # noqa: E402

SECONDS = 900
RUNTIMES = ["deepspeed-distributed", "jax-distributed", "torch-distributed", "xgboost-distributed"]
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def eventually(what, holds):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if holds():
            return
        time.sleep(1)
    raise AssertionError(f"{what} did not come")


def add_up(first):
    """What pods do: everybody's number is added up."""
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    number = torch.ones(1) * (first + dist.get_rank())
    dist.all_reduce(number)
    print(f"rank {dist.get_rank()} of {dist.get_world_size()}: {number.item()}", flush=True)
    dist.destroy_process_group()


def train(client, **more):
    return client.train(
        runtime=client.get_runtime("torch-distributed"),
        trainer=CustomTrainer(
            func=add_up,
            func_args={"first": 1},
            num_nodes=2,
            resources_per_node={"cpu": "100m", "memory": "600Mi"},
            **more,
        ),
        options=[Labels({"judged": "yes"})],
    )


@check
def runtimes_are_there(client):
    eventually("all runtimes", lambda: set(RUNTIMES) <= {each.name for each in client.list_runtimes()})
    runtime = client.get_runtime("torch-distributed")
    assert runtime.trainer.framework == "torch", runtime
    assert runtime.trainer.num_nodes == 1, runtime


@check
def a_function_is_trained(client):
    name = train(client)
    try:
        wanted = {"Complete"} if real else {"Running", "Complete"}
        job = client.wait_for_job_status(name, status=wanted, timeout=SECONDS)
        assert [step.name for step in job.steps] == ["node-0", "node-1"], job.steps
        assert job.num_nodes == 2, job
        assert name in [each.name for each in client.list_jobs()]
        assert client.get_job(name).runtime.name == "torch-distributed"
        # Events are told beside everything else, and may come later. Those of schedulers without a first time, as kube-scheduler's, the SDK passes over.
        eventually("its events", lambda: any(event.reason == "Started" for event in client.get_job_events(name)))
        if real:
            assert list(client.get_job_logs(name)) == ["rank 0 of 2: 3.0"], list(client.get_job_logs(name))
            assert list(client.get_job_logs(name, step="node-1")) == ["rank 1 of 2: 3.0"]
    finally:
        client.delete_job(name)
    eventually("the end of the job", lambda: name not in [each.name for each in client.list_jobs()])


@check
def names_of_others_are_refused(client):
    try:
        train(client, env={"PET_NNODES": "7"})
    except RuntimeError as refusal:
        assert "must not have reserved envs" in str(refusal.__cause__), refusal.__cause__
        return
    raise AssertionError("a job that sets PET_NNODES was taken")


@check
def a_job_has_the_name_that_is_asked_for(client):
    trainer = CustomTrainer(func=add_up, func_args={"first": 1}, num_nodes=1)
    name = client.train(runtime="torch-distributed", trainer=trainer, options=[Name("judged")])
    client.delete_job(name)
    assert name == "judged", name


failed = 0
client = TrainerClient()
for each in CHECKS:
    title = each.__name__.replace("_", " ")
    try:
        each(client)
        print(f"ok   {title}", flush=True)
    except Exception:  # noqa: BLE001
        failed += 1
        print(f"FAIL {title}\n{traceback.format_exc()}", flush=True)
sys.exit(1 if failed else 0)
