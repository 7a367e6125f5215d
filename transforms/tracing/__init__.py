"""Tracing: functions over operators as graphs of their calls."""
