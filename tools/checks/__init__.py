"""What ``keyslot check`` looks at, one rule or a few in each module."""
