module terrain.dev/embedded/node-tools

go 1.26.0
