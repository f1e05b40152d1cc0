module driver

go 1.19

require sluice v0.0.0

replace sluice => ../../../bindings/go
