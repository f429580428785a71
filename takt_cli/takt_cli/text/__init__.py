"""Texts of others: as a terminal and a sentence can have them."""
