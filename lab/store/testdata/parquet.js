// Prints a Parquet file as DuckDB reads it, with nothing of weft: a line of JSON with the names and
// types of the columns, then a line for each row, with texts for numbers.
// Usage: node parquet.js FILE
const { DuckDBInstance } = require("@duckdb/node-api");

async function main() {
  const connection = await (await DuckDBInstance.create()).connect();
  const reader = await connection.runAndReadAll("SELECT * FROM read_parquet('" + process.argv[2].replaceAll("'", "''") + "')");
  const types = reader.columnTypes();
  console.log(JSON.stringify(reader.columnNames().map((name, i) => [name, String(types[i])])));
  for (const row of reader.getRows()) {
    console.log(JSON.stringify(row.map((cell) => (cell === null ? null : String(cell)))));
  }
}

main();
