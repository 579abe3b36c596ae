import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// During development `SQLORE_SERVER` is the address of a running `sqlore serve --allow-origin http://localhost:5173`.
const server = process.env.SQLORE_SERVER ?? "http://127.0.0.1:8642";

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "../src/sqlore/interfaces/http/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the server's content policy lets fonts come from files alone
    license: { fileName: "licenses.md" },
    reportCompressedSize: false,
  },
  server: { port: 5173, proxy: { "/api": { target: server, changeOrigin: true } } },
  test: { environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true },
});
