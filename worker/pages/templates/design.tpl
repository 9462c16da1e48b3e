<h1>Design</h1>
<p>Every part of these pages. What is here is what a page may use.</p>
<section aria-labelledby="type"><h2 id="type">Type</h2>
<p>Text of a page, with <a href="#type">a link</a>, <strong>an important word</strong>, <code>code</code> and a word in <bdi>עברית</bdi>.</p>
<p class="meta">A remark beside something else.</p>
<h3>A heading of the third level</h3>
<blockquote>A text that somebody else wrote.</blockquote>
<pre><code>curl -fsS "https://media.example/oembed?url=…"</code></pre>
<ol>
<li>The first step</li>
<li>The second step</li>
</ol></section>
<section aria-labelledby="buttons"><h2 id="buttons">Buttons</h2>
<p class="links"><button type="button" class="primary">Primary</button> <button type="button">Plain</button> <button type="button" class="danger">Deletes something</button> <a class="button" href="#buttons">A link</a> <button type="button" aria-disabled="true">Not yet</button> <button type="button" class="link">Like a link</button></p></section>
<section aria-labelledby="fields"><h2 id="fields">Fields</h2>
<p><label for="text">Text</label>
<input id="text" value="A value" autocomplete="off" aria-describedby="text-hint">
<span class="meta" id="text-hint">What it is for</span></p>
<p><label for="wrong">Text with a problem</label>
<input id="wrong" value="640x" autocomplete="off" aria-invalid="true" aria-describedby="wrong-problem">
<span class="field-problem" id="wrong-problem">Enter a whole number of pixels from 1 to 10,000.</span></p>
<p><label for="lines">Several lines</label>
<textarea id="lines" rows="3">A longer text</textarea></p>
<p><label for="copied">To be copied</label>
<input id="copied" class="code" value="l4unchf1lm" readonly></p>
<p><label for="one">One of several</label>
<select id="one"><option>The first</option><option>The second</option></select></p>
<p><label for="file">File</label>
<input type="file" id="file"></p>
<fieldset><legend>Choices</legend>
<label class="choice"><input type="radio" name="radio" checked> <span>The first<br><span class="meta">With a remark</span></span></label>
<label class="choice"><input type="radio" name="radio"> <span>The second</span></label>
<label class="choice"><input type="checkbox" checked> <span>Checked</span></label>
<label class="choice"><input type="checkbox" disabled> <span>Not possible</span></label></fieldset>
<p><label for="progress">Progress</label>
<progress id="progress" max="100" value="40"></progress></p>
<details><summary>More options</summary>
<p>What is needed less often.</p></details></section>
<section aria-labelledby="notices"><h2 id="notices">Notices</h2>
<p class="notice">Something to know.</p>
<p class="notice" role="status">The changes are saved.</p>
<div class="problem"><p>Nothing has been saved yet:</p><ul><li><a href="#wrong">Enter a width.</a></li></ul></div>
<p class="caution"><strong>Full access:</strong> what can go wrong.</p></section>
<section aria-labelledby="tables"><h2 id="tables">Tables</h2>
<table><thead><tr><th scope="col">Name</th><th scope="col">Value</th></tr></thead>
<tbody>
<tr><td>Width</td><td><code>640</code></td></tr>
<tr><td>Height</td><td><code>360</code></td></tr>
</tbody></table>
<dl>
<dt>A term</dt>
<dd>What it means</dd>
</dl></section>
<h2 id="cards">Cards</h2>
<ul class="cards">
<li class="card"><h3><a href="#cards">A way on</a></h3><p>Where it leads, in a line or two.</p></li>
<li class="card"><h3><a href="#cards">Another</a></h3><p>The whole card can be clicked.</p></li>
</ul>
<h2 id="lists">Lists</h2>
<ul class="list">
<li class="film"><span class="picture" aria-hidden="true">Video</span><div><h3><a href="#lists">A media of a list</a></h3><p class="meta">Video, 2:03 · 3 days ago</p></div></li>
<li><a href="#lists">An entry of a list</a><p class="meta">With a remark</p></li>
</ul>
<h2 id="none">Empty states</h2>
<div class="empty"><p>Nothing was uploaded yet.</p><p><a class="button" href="#none">Upload a file</a></p></div>
