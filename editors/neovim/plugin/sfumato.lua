-- Ghost text, Tab and commands wherever a server named "sfumato" is attached.
if vim.fn.has("nvim-0.12") == 0 then
  return vim.notify_once("Sfumato needs Neovim 0.12, which draws the ghost text", vim.log.levels.WARN)
end

local TAB, BEFORE = "Sfumato: accept the ghost text", "<Plug>(sfumato-tab-before)"

-- Tab accepts what is shown; otherwise it does what it did before, whatever that was.
local function map_tab(buffer)
  local before = vim.fn.maparg("<Tab>", "i", false, true)
  if before.desc == TAB or vim.g.sfumato_tab == false then
    return
  end
  vim.keymap.set("i", BEFORE, "<Tab>", { buffer = buffer })
  if next(before) then
    before.lhs, before.lhsraw, before.lhsrawalt, before.buffer = BEFORE, vim.keycode(BEFORE), nil, 1
    vim.fn.mapset("i", false, before)
  end
  local function tab()
    return require("sfumato").accept() and "" or BEFORE
  end
  vim.keymap.set("i", "<Tab>", tab, { buffer = buffer, expr = true, remap = true, desc = TAB })
end

vim.api.nvim_create_autocmd("LspAttach", {
  callback = function(event)
    if vim.lsp.get_client_by_id(event.data.client_id).name == "sfumato" then
      vim.lsp.inline_completion.enable(true, { bufnr = event.buf })
      vim.api.nvim_buf_call(event.buf, function() map_tab(event.buf) end)
    end
  end,
})

vim.api.nvim_create_autocmd("LspRequest", {
  callback = function(event)
    local request = event.data.request
    if request.type == "pending" and request.method == "textDocument/inlineCompletion" then
      require("sfumato").note_request(request.bufnr)
    end
  end,
})

for name, how in pairs({
  Rewrite = { range = true, bang = true, nargs = "+", desc = "Rewrite the selection or the lines; with ! preview it" },
  Again = { desc = "Replace the last rewrite by another attempt" },
  Fill = { range = true, desc = "Fill the holes in the selection, the lines or the buffer" },
  Stop = { desc = "Stop the rewrite or fill that runs" },
  Status = { desc = "All that the server tells about itself" },
}) do
  vim.api.nvim_create_user_command("Sfumato" .. name, function(options)
    require("sfumato").commands[name](options)
  end, how)
end
