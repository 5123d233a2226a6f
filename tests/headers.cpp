// What every test includes is compiled once, with this file.
