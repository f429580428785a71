"""`takt simulate`: a system model under a schedule in virtual time."""
