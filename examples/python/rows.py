# The rows of a sweep in a notebook: weft lab export results.db -o rows.parquet
import pandas
rows = pandas.read_parquet("rows.parquet")
proven = rows[rows.status == "proven"]
table = proven.pivot_table("ebb_share", ["network", "damage"], "engine")
print(table.round(3).to_string())
