"""What a person sees of a store: documents named, listed, ordered; the same for screen, files and Python."""
