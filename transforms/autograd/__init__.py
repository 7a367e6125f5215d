"""Gradients: formulas of operators, a graph of what was called, and its engine."""
