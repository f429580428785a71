"""HTML pages: self-contained, readable without a network; what the pages of several verbs share."""
