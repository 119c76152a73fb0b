(function () {
  "use strict";
  var words = document.documentElement.dataset;
  function value(row, column) {
    var cell = row.cells[column];
    var data = cell.querySelector("data");
    var text = data ? data.value : cell.textContent.trim();
    var number = data && text !== "" ? Number(text) : NaN;
    return { empty: text === "", number: number, text: text };
  }
  function compare(a, b, way) {
    if (a.empty || b.empty) return a.empty - b.empty;
    if (!isNaN(a.number) && !isNaN(b.number)) return way * (a.number - b.number);
    return way * a.text.localeCompare(b.text, document.documentElement.lang, { numeric: true });
  }
  function sort(table, column, head) {
    var way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    var body = table.tBodies[0];
    var rows = Array.from(body.rows);
    rows.sort(function (a, b) { return compare(value(a, column), value(b, column), way); });
    rows.forEach(function (row) { body.appendChild(row); });
    Array.from(head.parentNode.cells).forEach(function (cell) { cell.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", way === 1 ? "ascending" : "descending");
  }
  function sortable(table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () { sort(table, column, head); });
    });
  }
  function filterable(table, number) {
    var rows = Array.from(table.tBodies[0].rows);
    var holder = document.createElement("div");
    var label = document.createElement("label");
    var input = document.createElement("input");
    var count = document.createElement("span");
    holder.className = "filter";
    input.type = "search";
    input.id = "filter-" + number;
    label.htmlFor = input.id;
    label.textContent = words.filter;
    count.setAttribute("role", "status");
    [label, input, count].forEach(function (part) { holder.appendChild(part); });
    table.parentNode.parentNode.insertBefore(holder, table.parentNode);
    input.addEventListener("input", function () {
      var wanted = input.value.trim().toLocaleLowerCase();
      var shown = 0;
      rows.forEach(function (row) {
        var hit = row.textContent.toLocaleLowerCase().indexOf(wanted) >= 0;
        row.hidden = !hit;
        shown += hit;
      });
      count.textContent = wanted ? shown + " / " + rows.length : "";
    });
  }
  Array.from(document.querySelectorAll("table.sorts")).forEach(function (table, number) {
    sortable(table);
    if (table.tBodies[0].rows.length > 7) filterable(table, number);
  });
})();
