"""Handwritten digits learned by workers that keep their weights on parameter servers; TF_CONFIG says who is who.

    dist_mnist.py [--train_steps N] [--batch_size N]

Steps are counted by all workers together. Each goes on by itself and ends when enough are done; servers never end.
"""
import argparse
import json
import os

import numpy as np
import tensorflow.compat.v1 as tf

parser = argparse.ArgumentParser()
parser.add_argument("--train_steps", type=int, default=200)
parser.add_argument("--batch_size", type=int, default=64)
wanted, _ = parser.parse_known_args()

tf.disable_eager_execution()
config = json.loads(os.environ["TF_CONFIG"])
cluster = {kind: hosts for kind, hosts in config["cluster"].items() if hosts}
kind, index = config["task"]["type"], int(config["task"]["index"])
print(f"{kind} {index} of {json.dumps(cluster)}", flush=True)
server = tf.train.Server(tf.train.ClusterSpec(cluster), job_name=kind, task_index=index)
if kind == "ps":
    server.join()

from sklearn.datasets import load_digits  # servers need none of it

digits = load_digits()
images, labels = (digits.data / 16).astype(np.float32), digits.target.astype(np.int64)
train, choice = len(images) * 4 // 5, np.random.default_rng(index)

with tf.device(tf.train.replica_device_setter(worker_device=f"/job:worker/task:{index}", cluster=cluster)):
    step = tf.train.get_or_create_global_step()
    x, y = tf.placeholder(tf.float32, [None, 64]), tf.placeholder(tf.int64, [None])
    start = tf.random_normal_initializer(stddev=0.1, seed=1)
    w1, b1 = tf.get_variable("w1", [64, 64], initializer=start), tf.get_variable("b1", [64], initializer=tf.zeros_initializer())
    w2, b2 = tf.get_variable("w2", [64, 10], initializer=start), tf.get_variable("b2", [10], initializer=tf.zeros_initializer())
    logits = tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    learn = tf.train.GradientDescentOptimizer(0.3).minimize(loss, global_step=step)
    right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))

# A worker that ended must not be waited for.
own = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{index}"])
with tf.train.MonitoredTrainingSession(master=server.target, is_chief=index == 0, config=own) as session:
    done = mine = 0
    while done < wanted.train_steps:
        chosen = choice.integers(0, train, wanted.batch_size)
        _, done, lost = session.run([learn, step, loss], {x: images[chosen], y: labels[chosen]})
        mine += 1
        if mine % 100 == 0:
            print(f"step {done}/{wanted.train_steps} loss: {lost:.4f}", flush=True)
    accuracy = session.run(right, {x: images[train:], y: labels[train:]})
    print(f"worker {index} did {mine} of {done} steps")
    print(f"accuracy: {accuracy:.4f}", flush=True)
os._exit(0)  # the server of this process would keep it
