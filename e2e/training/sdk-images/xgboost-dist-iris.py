import argparse
import os
import socket
import time

import xgboost
from sklearn.datasets import load_iris
from xgboost.tracker import RabitTracker

options = argparse.ArgumentParser()
options.add_argument("--job_type", default="Train")
options.add_argument("--xgboost_parameter", default="")
options.add_argument("--n_estimators", type=int, default=10)
options.add_argument("--learning_rate", type=float, default=0.1)
options.add_argument("--model_path", default="/tmp/xgboost-model")
options.add_argument("--model_storage_type", default="local")
options = options.parse_args()
assert options.job_type == "Train" and options.model_storage_type == "local", options

rank, size, port = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), int(os.environ["MASTER_PORT"])
if rank == 0:
    tracker = RabitTracker(host_ip=socket.gethostbyname(socket.gethostname()), n_workers=size, port=port, sortby="task")
    tracker.start()


def address(name):
    for _ in range(240):  # a name is known once its pod runs
        try:
            return socket.gethostbyname(name)
        except socket.gaierror:
            time.sleep(0.5)
    return socket.gethostbyname(name)


iris = load_iris()
wishes = dict(each.split(":", 1) for each in options.xgboost_parameter.split(",") if each)
with xgboost.collective.CommunicatorContext(
    dmlc_communicator="rabit",
    dmlc_tracker_uri=address(os.environ["MASTER_ADDR"]),
    dmlc_tracker_port=port,
    dmlc_task_id=str(rank),
    dmlc_retry=60,
):
    part = xgboost.DMatrix(iris.data[rank::size], iris.target[rank::size])
    model = xgboost.train({**wishes, "eta": options.learning_rate, "nthread": 1}, part, options.n_estimators)
    print(f"rank {xgboost.collective.get_rank()} of {xgboost.collective.get_world_size()}", flush=True)
    assert xgboost.collective.get_world_size() == size
if rank == 0:
    os.makedirs(options.model_path, exist_ok=True)
    model.save_model(os.path.join(options.model_path, "model.json"))
    accuracy = (model.predict(xgboost.DMatrix(iris.data)).argmax(1) == iris.target).mean()
    print(f"accuracy {accuracy:.4f}", flush=True)
    assert accuracy > 0.9, "nothing was learned"
    tracker.wait_for()
