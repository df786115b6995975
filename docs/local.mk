# documentation
