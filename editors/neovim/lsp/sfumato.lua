-- What `vim.lsp.enable("sfumato")` reads; `vim.lsp.config("sfumato", { ... })` in your own configuration lies over it.
return {
  cmd = { "sfumato", "serve" },
  -- stylua: ignore
  filetypes = {
    "bash", "c", "cpp", "css", "go", "html", "java", "javascript", "javascriptreact", "json", "jsonc", "lua", "make",
    "markdown", "python", "rust", "sh", "toml", "typescript", "typescriptreact", "yaml",
  },
  root_markers = { ".git" },
  -- Neovim takes versioned edits, and drops one for an older buffer, but does not say so by itself.
  capabilities = { workspace = { workspaceEdit = { documentChanges = true } } },
  handlers = require("sfumato").handlers,
}
