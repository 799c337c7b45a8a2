"""LavaBLAS runs large matrix products on a Vulkan GPU. `python -m lavablas run script.py` runs a script with it."""
