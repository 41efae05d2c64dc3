package let x = 1
