"""The Python surface: what `import nearkin` offers. Tables are Arrow tables."""
