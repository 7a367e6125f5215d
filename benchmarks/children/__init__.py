"""What runs in a process of its own; each module prints one line of JSON."""
