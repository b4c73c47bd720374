module weighbridge/mysqlcollation

go 1.23
