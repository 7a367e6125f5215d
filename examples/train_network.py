# %% [markdown]
"""Train a small network with `grad` and `vmap`, on arrays of NumPy.

The cells of this notebook (`# %%`; editors and Jupyter with jupytext know them) go from
one point to a trained classifier: a network for one point is written as plain
arithmetic, `vmap` applies it to many, `grad` finds out how to change its weights, and
`make_fx` turns a whole step of training into one flat function.
"""

# %%
from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
import optree

from keyslot import ops
from keyslot.transforms import grad, grad_and_value, make_fx, vmap

rng = np.random.default_rng(seed=2)


# %% [markdown]
# ## Data: two half moons
#
# Points on two half circles that reach into each other, with some noise. Which moon a
# point belongs to, 0 or 1, is what the network is to tell. No straight line does.


# %%
def two_moons(count: int) -> tuple[Any, Any]:
    """Return points, of shape (count, 2), and the moon of each, of shape (count,)."""
    moon = np.arange(count) % 2
    angle = rng.uniform(0, np.pi, count)
    across = np.where(moon, 1 - np.cos(angle), np.cos(angle))
    up = np.where(moon, 0.5 - np.sin(angle), np.sin(angle))
    points = np.stack([across, up], axis=1) + rng.normal(0, 0.1, (count, 2))
    return points, moon.astype(np.float64)


points, moons = two_moons(200)
unseen_points, unseen_moons = two_moons(1000)


# %% [markdown]
# ## A network for one point
#
# Its parameters are a list of layers, each a dict of arrays. Transforms take any such
# nesting of lists, tuples and dicts: a *pytree*.
#
# `predict` is written for one point, a vector of two numbers. It returns one number:
# above 0 it says moon 1, below 0 moon 0, the further away the surer it is.


# %%
def new_parameters(*sizes: int) -> list[dict[str, Any]]:
    """Return random weights for layers of these sizes."""
    return [
        {
            "weight": rng.normal(0, inputs**-0.5, (inputs, outputs)),
            "bias": np.zeros(outputs),
        }
        for inputs, outputs in pairwise(sizes)
    ]


def predict(parameters: Any, point: Any) -> Any:
    """Return how sure the network is that a point belongs to moon 1."""
    *hidden, last = parameters
    values = point
    for layer in hidden:
        values = ops.tanh(values @ layer["weight"] + layer["bias"])
    return (values @ last["weight"] + last["bias"])[0]


def loss_of_one(parameters: Any, point: Any, moon: Any) -> Any:
    """Return how bad the answer for a point is: the cross-entropy, in a stable form."""
    answer = predict(parameters, point)
    return ops.softplus(answer) - answer * moon


parameters = new_parameters(2, 16, 16, 1)
print("one point:", predict(parameters, points[0]).shape)

# %% [markdown]
# ## Many points: `vmap`
#
# `vmap` makes a function of many points of one that is written for a single point.
# The parameters are the same for all of them (`None`); points and moons go along their
# first dimension (`0`). Nothing is called in a loop: each operator runs once, on all
# points.

# %%
predict_all = vmap(predict, in_dims=(None, 0))
print("many points:", predict_all(parameters, points).shape)


def loss(parameters: Any, points: Any, moons: Any) -> Any:
    """Return the mean of the losses of some points."""
    return ops.mean(vmap(loss_of_one, in_dims=(None, 0, 0))(parameters, points, moons))


def accuracy(parameters: Any, points: Any, moons: Any) -> float:
    """Return the part of the points whose moon the network tells."""
    return float(np.mean((predict_all(parameters, points) > 0) == (moons == 1)))


print("accuracy before:", accuracy(parameters, unseen_points, unseen_moons))

# %% [markdown]
# ## Gradients: `grad`
#
# `grad(loss)` is a function too. It takes what `loss` takes, and returns how the loss
# changes with each parameter: a pytree like the parameters themselves.
#
# The two transforms nest. `vmap(grad(...))` has a gradient *for each point*, which
# takes tricks where gradients are only known for a whole batch. Their mean is the
# gradient of the mean.

# %%
gradients = grad(loss)(parameters, points, moons)
of_each_point = vmap(grad(loss_of_one), in_dims=(None, 0, 0))(parameters, points, moons)
print("a gradient:", gradients[0]["weight"].shape)
print("one for each point:", of_each_point[0]["weight"].shape)
np.testing.assert_allclose(
    np.mean(of_each_point[0]["weight"], axis=0), gradients[0]["weight"]
)

# Which points pull hardest at the first layer? Those that the network gets most wrong.
pull = np.linalg.norm(of_each_point[0]["weight"], axis=(1, 2))
print("strongest pull over the median:", round(float(pull.max() / np.median(pull)), 1))

# %% [markdown]
# ## Training
#
# A step goes a little against the gradient. It changes nothing in place, it returns new
# parameters: a function like any other, to be transformed in turn.

# %%
RATE = 1.0


def step(parameters: Any, points: Any, moons: Any) -> Any:
    """Return better parameters, and the loss of those before."""
    gradients, value = grad_and_value(loss)(parameters, points, moons)
    better = optree.tree_map(lambda p, g: p - RATE * g, parameters, gradients)
    return better, value


for turn in range(400):
    parameters, value = step(parameters, points, moons)
    if turn % 100 == 0:
        print(f"step {turn:3}: loss {float(value):.3f}")
print("accuracy after:", accuracy(parameters, unseen_points, unseen_moons))

# %% [markdown]
# ## The step as one flat function: `make_fx` and `compile`
#
# A step is always the same sequence of operators, yet each time `grad` records it and
# goes back over it, and `vmap` applies its rules. `make_fx` runs a step once and writes
# down the operators that are left when all transforms have done their work. The graph
# is a Python function, which can be read and run; with "symbolic" the sizes are
# symbols, so that it serves any number of points.

# %%
graph = make_fx(step, tracing_mode="symbolic")(parameters, points, moons)
print(f"{len(graph.nodes)} operators, the first of them:")
print("\n".join(str(graph).splitlines()[:12]))
graph = graph.eliminate_common_subexpressions().eliminate_dead_code()

# %% [markdown]
# `compile` goes one step further: it looks up the kernel of each operator now, and
# returns a function that calls kernels of NumPy and nothing else.

# %%
compiled = graph.compile()


def same(one: Any, other: Any) -> None:
    """Check that two pytrees of arrays are the same but for rounding."""
    optree.tree_map(np.testing.assert_allclose, one, other)


same(compiled(parameters, points, moons), step(parameters, points, moons))
same(
    compiled(parameters, unseen_points, unseen_moons),
    step(parameters, unseen_points, unseen_moons),
)
print("the compiled step does the same, for 200 points and for 1000")


def milliseconds(function: Any) -> float:
    """Return how long a step takes, the best of ten."""
    times: list[float] = []
    for _ in range(10):
        start = perf_counter()
        function(parameters, points, moons)
        times.append(perf_counter() - start)
    return 1000 * min(times)


print(f"a step: {milliseconds(step):.1f} ms, compiled: {milliseconds(compiled):.1f} ms")
