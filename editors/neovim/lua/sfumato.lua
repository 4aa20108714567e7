-- Neovim's side of Sfumato: accepting ghost text without losing or doubling a character, and the commands.
-- Neovim itself asks for ghost text and draws it.
local M = { handlers = {}, commands = {} }

local GHOST = vim.api.nvim_create_namespace("nvim.lsp.inline_completion")
local PARTS = { word = "^%s*[%w_]+", line = "^\n?[^\n]*" }

local asked = {} -- by buffer: the line and the cursor that ghost text was last asked for
local left -- what remains of ghost text of which a part was accepted, and where; until it is asked for anew
local states = {} -- by client: what the last `sfumato/status` said
local running -- the last command: its client and request

local function say(message, level)
  vim.notify("Sfumato: " .. message, level or vim.log.levels.INFO)
end

local function cursor()
  local row, col = unpack(vim.api.nvim_win_get_cursor(0))
  return row - 1, col, vim.api.nvim_get_current_line()
end

local function place()
  return { vim.api.nvim_get_current_buf(), vim.b.changedtick, cursor() }
end

--- Remember what ghost text is asked for; to be called with every request of it.
function M.note_request(buffer)
  left = nil
  local row, col, line = cursor()
  asked[buffer] = buffer == vim.api.nvim_get_current_buf() and { row = row, col = col, line = line } or nil
end

-- What of an item is still to be inserted, and the column where what it replaces ends. Nil unless the line is the one
-- it was for, with some of the item typed since: Neovim (0.12.4) by itself would keep those characters twice.
local function remaining(item)
  local row, col, line = cursor()
  local was, text = asked[vim.api.nvim_get_current_buf()], item.insert_text:gsub("\r\n?", "\n")
  local first, from, last, to = item.range:to_extmark()
  if not was or was.row ~= row or first ~= row or last ~= row or from < was.col or from > col then
    return nil
  end
  local typed, since = line:sub(was.col + 1, col), line:sub(from + 1, col)
  local expected = was.line:sub(1, was.col) .. typed .. was.line:sub(was.col + 1)
  if line ~= expected or not vim.startswith(text, since) then
    return nil
  end
  return text:sub(#since + 1), to + #since
end

-- Insert `text`, or its next part, at the cursor. All of it takes the place of what stands there up to column `to`.
local function insert(text, to, part)
  local row, col = cursor()
  local piece = part and (text:match(PARTS[part]) or text:match("^%s*[^%s][\128-\191]*")) or text
  local lines = vim.split(piece, "\n", { plain = true })
  vim.bo.undolevels = vim.bo.undolevels -- begins an undo step
  vim.api.nvim_buf_set_text(0, row, col, row, piece == text and to or col, lines)
  vim.api.nvim_win_set_cursor(0, { row + #lines, (#lines == 1 and col or 0) + #lines[#lines] })
  left = piece ~= text and { text = text:sub(#piece + 1), beyond = to - col, place = place() } or nil
end

-- Whether a part was accepted just now. Neovim (0.12.4) draws the rest of it only when the server has answered again.
local function is_more_left()
  return left and vim.deep_equal(left.place, place())
end

--- Accept the ghost text, or only its next "word" or "line". False if none is shown, or if it begins with a step of
--- indentation on a blank line: there a key such as Tab had better indent.
function M.accept(part)
  if is_more_left() then
    vim.schedule(function() -- a key that is an expression may not change the text
      if is_more_left() then
        local _, col = cursor()
        insert(left.text, col + left.beyond, part)
      end
    end)
    return true
  end
  local mark = vim.api.nvim_buf_get_extmarks(0, GHOST, 0, -1, { details = true })[1]
  local text = mark and mark[4].virt_text and mark[4].virt_text[1][1] or ""
  local _, col, line = cursor()
  local indents = not line:sub(1, col):find("%S") and vim.fn.strdisplaywidth(text:match("^%s*"), col)
  if (text == "" and not (mark and mark[4].virt_lines)) or (indents and indents >= vim.fn.shiftwidth()) then
    return false
  end
  return vim.lsp.inline_completion.get({
    on_accept = function(item)
      if vim.lsp.get_client_by_id(item.client_id).name ~= "sfumato" then
        return item -- Neovim's business
      end
      local text, to = remaining(item)
      if text then
        insert(text, to, part)
      end
    end,
  })
end

--- What this buffer's server is doing, for a statusline; "" without one.
function M.status()
  local client = vim.lsp.get_clients({ bufnr = 0, name = "sfumato" })[1]
  return client and (states[client.id] or "starting") or ""
end

M.handlers["sfumato/status"] = function(_, now, context)
  local percent = now.total > 0 and (" (%d %%)"):format(100 * now.done / now.total) or ""
  states[context.client_id] = now.state .. (now.message ~= "" and ": " .. now.message or "") .. percent
  vim.cmd.redrawstatus()
end

-- Neovim names the server before each message, and the message does for editors that do not.
M.handlers["window/showMessage"] = function(problem, params, context)
  local message = params.message:gsub("^Sfumato: ", "")
  return vim.lsp.handlers["window/showMessage"](problem, { type = params.type, message = message }, context)
end

-- Neovim's own answers that an edit was applied when it was dropped because the buffer is newer.
M.handlers["workspace/applyEdit"] = function(problem, params, context)
  for _, change in ipairs(params.edit.documentChanges or {}) do
    local document = change.textDocument
    if document.version ~= vim.lsp.util.buf_versions[vim.uri_to_bufnr(document.uri)] then
      return { applied = false, failureReason = "the buffer was changed meanwhile" }
    end
  end
  return vim.lsp.handlers["workspace/applyEdit"](problem, { edit = params.edit }, context)
end

-- The range of a command: whole lines, or exactly the characters if they are what was selected last with `v`.
local function range_of(options, encoding)
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if options.range ~= 2 or vim.fn.visualmode() ~= "v" or from[2] ~= options.line1 or to[2] ~= options.line2 then
    return { start = { line = options.line1 - 1, character = 0 }, ["end"] = { line = options.line2, character = 0 } }
  end
  local function position(at, beyond)
    local line = vim.fn.getline(at[2])
    local last = beyond and #vim.fn.matchstr(line, ("\\%%%dc."):format(at[3])) or 0
    local column = vim.str_utfindex(line, encoding, math.min(at[3] - 1 + last, #line))
    return { line = at[2] - 1, character = column }
  end
  return { start = position(from), ["end"] = position(to, vim.o.selection ~= "exclusive") }
end

local function run(command, facts, options, done)
  local client = vim.lsp.get_clients({ bufnr = 0, name = "sfumato" })[1]
  if not client then
    return say("no server for this buffer; see :checkhealth vim.lsp", vim.log.levels.WARN)
  end
  if facts then
    facts.uri = vim.uri_from_bufnr(0)
    facts.version = facts.version or vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()]
    facts.range = facts.range or (options.range > 0 or facts.instruction) and range_of(options, client.offset_encoding) or nil
  end
  local params = { command = command, arguments = { facts } }
  local _, request = client:request("workspace/executeCommand", params, function(problem, outcome)
    if problem then
      say(problem.message, vim.log.levels.ERROR)
    elseif done then -- otherwise the server has applied an edit, or has said why not
      done(outcome, client)
    end
  end)
  running = { client = client, request = request }
end

-- What a rewrite would make of the buffer, beside it in a tab of its own: applied, run again or discarded by a key.
local function preview(facts, options)
  local buffer = vim.api.nvim_get_current_buf()
  run("sfumato.rewrite", facts, options, function(outcome, client)
    if not outcome.edit then
      return say(outcome.message)
    end
    local change, proposed = outcome.edit.documentChanges[1], vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_lines(proposed, 0, -1, true, vim.api.nvim_buf_get_lines(buffer, 0, -1, true))
    vim.lsp.util.apply_text_edits(vim.deepcopy(change.edits), proposed, client.offset_encoding)
    vim.bo[proposed].filetype, vim.bo[proposed].bufhidden = vim.bo[buffer].filetype, "wipe"
    vim.bo[proposed].modifiable = false
    vim.cmd("tab sbuffer " .. buffer .. " | diffthis | rightbelow vertical sbuffer " .. proposed .. " | diffthis")
    vim.wo.winbar = " a  apply   r  run again   q  discard"
    local function key(lhs, act)
      vim.keymap.set("n", lhs, function()
        vim.cmd.tabclose()
        act()
      end, { buffer = proposed, nowait = true })
    end
    key("a", function()
      local answer = M.handlers["workspace/applyEdit"](nil, { edit = outcome.edit }, { client_id = client.id })
      if not answer.applied then
        say(answer.failureReason or "nothing was applied", vim.log.levels.WARN)
      end
    end)
    key("r", function()
      facts.attempt = facts.attempt + 1
      preview(facts, options)
    end)
    key("q", function() end)
  end)
end

function M.commands.Rewrite(options)
  if options.bang then
    preview({ instruction = options.args, preview = true, attempt = 0 }, options)
  else
    run("sfumato.rewrite", { instruction = options.args }, options)
  end
end

function M.commands.Again(options)
  run("sfumato.rewriteAgain", {}, options)
end

function M.commands.Fill(options)
  run("sfumato.fillHoles", {}, options)
end

function M.commands.Stop()
  if running and running.client.requests[running.request] then
    running.client:cancel_request(running.request)
    say("stopped")
  end
end

function M.commands.Status()
  run("sfumato.debugInformation", nil, {}, function(told)
    vim.print(told)
    say(M.status())
  end)
end

return M
