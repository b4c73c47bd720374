module weighbridge/mysqlcollation/examples/chunks

go 1.23

require (
	github.com/go-sql-driver/mysql v1.9.3
	weighbridge/mysqlcollation v0.0.0
)

require filippo.io/edwards25519 v1.1.0 // indirect

replace weighbridge/mysqlcollation => ../..
