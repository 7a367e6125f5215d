"""functionalize: a function that changes arrays in place as one that does not."""
