"""`takt set`: one value of one chain, callback or thread."""
