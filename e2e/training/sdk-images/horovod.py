import argparse
import socket

import numpy as np
from mpi4py import MPI
from sklearn.datasets import load_digits

options = argparse.ArgumentParser()
options.add_argument("--epochs", type=int, default=10)
options = options.parse_args()

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
hosts = world.allgather(socket.gethostname())
print(f"rank {rank} of {size} on {hosts[rank]}", flush=True)
assert all("worker" in host for host in hosts), "processes belong on workers"

digits = load_digits()
images, labels = digits.data[rank::size] / 16, np.eye(10)[digits.target[rank::size]]
weights, batch = np.zeros((64, 10)), 8
choice = np.random.default_rng(1)
for epoch in range(1, options.epochs + 1):
    for step in range(len(digits.data) // size // batch):
        chosen = choice.choice(len(images), batch)
        scores = images[chosen] @ weights
        guess = np.exp(scores - scores.max(1, keepdims=True))
        guess /= guess.sum(1, keepdims=True)
        gradient = np.ascontiguousarray(images[chosen].T @ (guess - labels[chosen]) / batch)
        mean = np.empty_like(gradient)
        world.Allreduce(gradient, mean)
        weights -= 0.5 * mean / size
    accuracy = ((digits.data @ weights).argmax(1) == digits.target).mean()
    if rank == 0:
        print(f"Train Epoch: {epoch} accuracy: {accuracy:.4f}", flush=True)
assert accuracy > 0.8, "nothing was learned"
