"""Documents in which one value is replaced: by any JSON, or by each of the usual wrong ones."""

import json

from hypothesis import strategies as st

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@st.composite
def spoiled(draw, document, deepest=6):
    """Give copies of a document with any value in place of one that is neither object nor list."""
    told = json.loads(json.dumps(document))
    where = told
    for _ in range(draw(st.integers(0, deepest))):
        keys = list(where) if isinstance(where, dict) else list(range(len(where)))
        if not keys:
            break
        key = draw(st.sampled_from(keys))
        if not isinstance(where[key], dict | list):
            where[key] = draw(JSON_VALUES)
            break
        where = where[key]
    return told


def places(value, path=()):
    """Give the path of each value of a document; of lists the first two and the last."""
    yield path
    if isinstance(value, dict):
        for key, below in value.items():
            yield from places(below, (*path, key))
    elif isinstance(value, list):
        for index in sorted({0, 1, len(value) - 1} & set(range(len(value)))):
            yield from places(value[index], (*path, index))


def changed(document, path, value):
    """Give a copy with another value in one place."""
    if not path:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[path[0]] = changed(document[path[0]], path[1:], value)
    return copy
