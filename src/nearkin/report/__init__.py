"""What a person sees of a store: documents named, listed, ordered. The same lists serve screen, files and Python."""
