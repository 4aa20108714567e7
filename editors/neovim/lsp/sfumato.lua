-- What `vim.lsp.enable("sfumato")` reads; `vim.lsp.config("sfumato", { ... })` in your own configuration lies over it.
return {
  cmd = { "sfumato", "serve" },
  -- stylua: ignore
  filetypes = {
    "bash", "c", "cpp", "css", "go", "html", "java", "javascript", "javascriptreact", "json", "jsonc", "lua", "make",
    "markdown", "python", "rust", "sh", "toml", "typescript", "typescriptreact", "yaml",
  },
  root_markers = { ".git" },
  handlers = require("sfumato").handlers,
}
