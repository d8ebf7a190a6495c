-- Links of a page: other pages are pages of the site, any other file of the project is in the repository.
local folder, home = os.getenv("FOLDER"), os.getenv("HOME_OF_PROJECT")

local function whole(path)
  local parts = {}
  for part in (folder .. "/" .. path):gmatch("[^/]+") do
    if part == ".." then table.remove(parts) elseif part ~= "." then parts[#parts + 1] = part end
  end
  return table.concat(parts, "/")
end

function Link(link)
  local path, anchor = link.target:match("^([^#]*)(#?.*)$")
  if path == "" or path:match("^%a[%w+.-]*:") then return link end
  local file = whole(path)
  if file == "README.md" then
    link.target = path:gsub("README%.md$", "index.html") .. anchor
  elseif file:match("^docs/.*%.md$") then
    link.target = path:gsub("%.md$", ".html") .. anchor
  elseif not file:match("^docs/pictures/") then
    link.target = home .. "/blob/main/" .. file .. anchor
  end
  return link
end
