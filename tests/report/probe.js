// What a browser measured of one page: run inside a frame's document, results go to the test.
function nameOf(e) { return (e.tagName + ' ' + (e.textContent || '').trim().slice(0, 40)); }
function hidden(view, e) {
  var box = e.getBoundingClientRect();
  return !box.width || !box.height || getComputedStyle(e).visibility === 'hidden';
}
function over(view, root) {
  var found = [];
  view.querySelectorAll('body *').forEach(function (e) {
    if (e.closest('svg') || e.classList.contains('skip')) return;
    if (e.closest('.scroll') && !e.classList.contains('scroll')) return;
    if (getComputedStyle(e).position === 'absolute') return;
    var box = e.getBoundingClientRect();
    if (box.width && box.right > root.clientWidth + 1) found.push(nameOf(e));
  });
  return found;
}
function small(view, least) {
  var found = [];
  view.querySelectorAll('svg text').forEach(function (e) {
    if (hidden(view, e) || !e.textContent.trim()) return;
    var matrix = e.getScreenCTM();
    var size = parseFloat(getComputedStyle(e).fontSize) * Math.hypot(matrix.a, matrix.b);
    if (size < least - 0.05) found.push(size.toFixed(1) + ' ' + nameOf(e));
  });
  view.querySelectorAll('body *:not(svg):not(svg *)').forEach(function (e) {
    var own = Array.from(e.childNodes).some(function (n) { return n.nodeType === 3 && n.data.trim(); });
    if (!own || hidden(view, e) || /^(SCRIPT|STYLE)$/.test(e.tagName)) return;
    if (parseFloat(getComputedStyle(e).fontSize) < least - 0.05) found.push(nameOf(e));
  });
  return found;
}
function texts(view) {
  // Boxes of what is read, line by line: texts of drawings, and text nodes of the page.
  var boxes = [];
  view.querySelectorAll('svg text').forEach(function (e) {
    if (!hidden(view, e) && e.textContent.trim()) boxes.push([e.getBoundingClientRect(), nameOf(e), e]);
  });
  var walk = view.createTreeWalker(view.body, NodeFilter.SHOW_TEXT), node, range = view.createRange();
  while ((node = walk.nextNode())) {
    var parent = node.parentElement;
    if (!node.data.trim() || parent.closest('svg,script,style,.skip') || hidden(view, parent)) continue;
    if (getComputedStyle(parent).position === 'absolute' || parent.closest('thead') && hidden(view, parent.closest('thead'))) continue;
    range.selectNodeContents(node);
    Array.from(range.getClientRects()).forEach(function (box) {
      if (box.width) boxes.push([box, nameOf(parent), node]);
    });
  }
  return boxes;
}
function overlaps(view) {
  var boxes = texts(view), found = [];
  boxes.sort(function (a, b) { return a[0].top - b[0].top; });
  for (var i = 0; i < boxes.length; i++) {
    for (var k = i + 1; k < boxes.length && boxes[k][0].top < boxes[i][0].bottom - 2; k++) {
      var a = boxes[i][0], b = boxes[k][0];
      if (boxes[i][2] === boxes[k][2]) continue;
      var wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      var high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      // Boxes hold the room above and below letters, so that lines may share a few pixels.
      if (wide > 2 && high > 0.35 * Math.min(a.height, b.height)) found.push(boxes[i][1] + ' / ' + boxes[k][1]);
    }
  }
  return found;
}
function cut(view) {
  // Texts of drawings that leave their drawing.
  var found = [];
  view.querySelectorAll('svg').forEach(function (svg) {
    if (hidden(view, svg)) return;
    var frame = svg.getBoundingClientRect();
    svg.querySelectorAll('text').forEach(function (e) {
      var box = e.getBoundingClientRect();
      if (box.width && (box.left < frame.left - 1.5 || box.right > frame.right + 1.5)) found.push(nameOf(e));
    });
  });
  return found;
}
function aside(view) {
  // Tables that must be pushed sideways to be read.
  var found = [];
  view.querySelectorAll('.scroll').forEach(function (e) {
    if (e.querySelector('table') && e.scrollWidth > e.clientWidth + 1) found.push(e.scrollWidth + ' ' + nameOf(e));
  });
  return found;
}
function column(table, k) {
  return Array.from(table.tBodies[0].rows).map(function (row) {
    var data = row.cells[k].querySelector('data');
    return data ? Number(data.value) : row.cells[k].textContent.trim();
  });
}
function sortAndFilter(view, result) {
  var bill = view.querySelector('#bill table.sorts');
  var input = view.querySelector('#bill .filter input');
  if (!bill || !input) return;
  var head = bill.tHead.rows[0].cells[4];
  result.before = column(bill, 4);
  head.querySelector('button').click();
  result.rising = column(bill, 4);
  result.sorted = head.getAttribute('aria-sort');
  head.querySelector('button').click();
  result.falling = column(bill, 4);
  result.wanted = bill.tBodies[0].rows[1].querySelector('.sub').textContent;
  input.value = result.wanted;
  input.dispatchEvent(new Event('input'));
  result.shown = Array.from(bill.tBodies[0].rows).filter(function (r) { return !r.hidden; }).length;
  input.value = '';
  input.dispatchEvent(new Event('input'));
  result.back = Array.from(bill.tBodies[0].rows).filter(function (r) { return !r.hidden; }).length;
}
function probe(frame) {
  var view = frame.contentDocument, root = view.documentElement;
  var result = {
    name: frame.title, width: root.scrollWidth, client: root.clientWidth, over: over(view, root),
    small: small(view, 9), overlaps: overlaps(view), cut: cut(view), aside: aside(view)
  };
  sortAndFilter(view, result);
  return result;
}
window.onload = function () {
  var found = Array.from(document.querySelectorAll('iframe')).map(probe);
  document.getElementById('out').textContent = JSON.stringify(found);
};
