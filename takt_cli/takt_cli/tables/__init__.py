"""Tables and sentences that explain results."""
