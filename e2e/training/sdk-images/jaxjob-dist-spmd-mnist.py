import os

import jax

jax.config.update("jax_cpu_collectives_implementation", "gloo")
rank, size = int(os.environ["PROCESS_ID"]), int(os.environ["NUM_PROCESSES"])
jax.distributed.initialize(f"{os.environ['COORDINATOR_ADDRESS']}:{os.environ['COORDINATOR_PORT']}", size, rank)

import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from sklearn.datasets import load_digits

assert jax.process_count() == size > 1, "the processes did not find each other"
digits = load_digits()
count = len(digits.data) // size * size
mine = slice(rank * count // size, (rank + 1) * count // size)
mesh = Mesh(np.array(jax.devices()), ("data",))
parts, whole = NamedSharding(mesh, PartitionSpec("data")), NamedSharding(mesh, PartitionSpec())
images = jax.make_array_from_process_local_data(parts, (digits.data[mine] / 16).astype(np.float32), (count, 64))
labels = jax.make_array_from_process_local_data(parts, digits.target[mine].astype(np.int32), (count,))
weights = jax.make_array_from_process_local_data(whole, np.zeros((64, 10), np.float32))


def loss_of(weights, images, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(images @ weights), labels[:, None], 1))


@jax.jit
def step(weights, images, labels):
    loss, gradient = jax.value_and_grad(loss_of)(weights, images, labels)
    return weights - 1.0 * gradient, loss


for epoch in range(1, 201):
    weights, loss = step(weights, images, labels)
    if epoch % 50 == 0:
        print(f"process {rank} epoch {epoch} loss: {float(loss):.4f}", flush=True)
local = np.asarray(weights.addressable_data(0))
accuracy = ((digits.data @ local).argmax(1) == digits.target).mean()
print(f"{jax.device_count()} devices of {size} processes, accuracy {accuracy:.4f}", flush=True)
assert accuracy > 0.8, "nothing was learned"
jax.distributed.shutdown()
