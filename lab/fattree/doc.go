package fattree
