"""The mixed-integer programs and the loop around them."""
