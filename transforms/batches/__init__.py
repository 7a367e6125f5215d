"""vmap: a function of one item applied to a batch of them."""
