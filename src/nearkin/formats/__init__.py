"""What is read of each format. Adapters run in workers with limits; nothing here opens a path or the network."""
