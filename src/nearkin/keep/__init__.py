"""What to keep and what may go: proposed from a store, written down as a plan, carried out step by step, undone."""
