"""Tables and sentences that say what results mean."""
